"""The look of a document as a page: quiet, in the reader's own fonts, light or dark as the reader prefers."""

from __future__ import annotations

STYLE = """\
:root {
  --paper: #ffffff; --ink: #1b2230; --muted: #5d6879; --rule: #e3e6ec; --panel: #f7f8fa; --accent: #2457c5;
  --good: #1a6639; --good-tint: #dff4e7; --warning: #8f4a05; --warning-tint: #fdecd9;
  --bad: #a11d2e; --bad-tint: #fde4e6; --plain: #3d4a5d; --plain-tint: #e8ebf0;
  --name: #2457c5; --text: #1a6639; --word: #8f4a05;
}
@media (prefers-color-scheme: dark) {
  :root {
    --paper: #0f1318; --ink: #e7ebf3; --muted: #9fa9ba; --rule: #2a313c; --panel: #171c23; --accent: #8db8ff;
    --good: #b2efcb; --good-tint: #173d29; --warning: #ffd5ad; --warning-tint: #4a2f14;
    --bad: #ffc2c8; --bad-tint: #521a22; --plain: #d3dce9; --plain-tint: #2c3441;
    --name: #8db8ff; --text: #8fdcb0; --word: #f2b37c;
  }
}
* { box-sizing: border-box; }
html { scroll-behavior: smooth; scroll-padding-top: 1rem; }
body {
  margin: 0; background: var(--paper); color: var(--ink); display: grid; grid-template-columns: 17rem minmax(0, 1fr);
  font: 16px/1.6 system-ui, -apple-system, "Segoe UI", Roboto, "DejaVu Sans", sans-serif;
}
nav {
  position: sticky; top: 0; height: 100vh; overflow-y: auto; padding: 2rem 1.25rem; font-size: .875rem;
  border-right: 1px solid var(--rule); background: var(--panel);
}
nav ul { list-style: none; margin: .25rem 0 0; padding: 0; }
nav ul ul { padding-left: .85rem; margin: 0 0 .4rem; }
nav a { display: block; padding: .2rem 0; color: var(--muted); text-decoration: none; line-height: 1.35; }
nav > ul > li > a { color: var(--ink); }
nav a.top { font-weight: 650; font-size: 1.05rem; color: var(--ink); margin-bottom: .5rem; }
nav a:hover, nav a:focus-visible { color: var(--accent); }
main { padding: 2.5rem clamp(1rem, 4vw, 4rem) 6rem; max-width: 84rem; }
h1, h2, h3, h4 { line-height: 1.25; margin: 0; letter-spacing: -.01em; }
h1 { font-size: 2.25rem; margin-bottom: .75rem; }
h2 { font-size: 1.5rem; margin: 3.25rem 0 1rem; padding-top: 1.25rem; border-top: 1px solid var(--rule); }
h3 { font-size: 1.15rem; margin: 2.5rem 0 .5rem; }
h4 { font-size: 1rem; margin: 2rem 0 .5rem; }
p { margin: .6rem 0; max-width: 48rem; }
main ul { margin: .6rem 0; padding-left: 1.25rem; max-width: 60rem; }
li { margin: .15rem 0; }
a { color: var(--accent); }
a code { color: inherit; }
code { font: .875em/1.5 ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace; }
:not(pre) > code { background: var(--panel); border: 1px solid var(--rule); border-radius: 4px; padding: .05em .35em; }
pre {
  background: var(--panel); border: 1px solid var(--rule); border-radius: 8px; padding: .9rem 1.1rem; overflow-x: auto;
  margin: .6rem 0;
}
.name { color: var(--name); } .text { color: var(--text); } .word { color: var(--word); }
.table { overflow-x: auto; margin: 1rem 0; border: 1px solid var(--rule); border-radius: 8px; max-width: max-content; }
table { border-collapse: collapse; font-size: .875rem; }
th, td { text-align: left; vertical-align: top; padding: .5rem .8rem; border-bottom: 1px solid var(--rule); }
th { background: var(--panel); color: var(--muted); font-weight: 600; white-space: nowrap; }
tr:last-child td { border-bottom: 0; }
td { min-width: 3rem; }
td.wide { min-width: 15rem; }
td .badge { white-space: normal; border-radius: .8em; }
td code { white-space: nowrap; }
td code.long { white-space: normal; -webkit-box-decoration-break: clone; box-decoration-break: clone; }
.figure { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
.badge {
  display: inline-block; border-radius: 99px; padding: 0 .6em; font-size: .8125rem; font-weight: 600; line-height: 1.6;
  white-space: nowrap;
}
.good { color: var(--good); background: var(--good-tint); }
.warning { color: var(--warning); background: var(--warning-tint); }
.bad { color: var(--bad); background: var(--bad-tint); }
.plain { color: var(--plain); background: var(--plain-tint); }
figure { margin: 1rem 0; overflow-x: auto; }
figure svg { display: block; max-width: 100%; height: auto; }
details { margin: .5rem 0; }
summary { cursor: pointer; color: var(--muted); font-size: .9rem; width: max-content; max-width: 100%; }
summary:hover { color: var(--accent); }
@media (max-width: 60rem) {
  body { display: block; }
  nav { position: static; height: auto; border-right: 0; border-bottom: 1px solid var(--rule); padding: 1rem; }
  nav ul ul { display: none; }
  figure svg { max-width: none; }
}
@media print {
  body { display: block; }
  nav { display: none; }
  main { padding: 0; max-width: none; }
  figure, tr { break-inside: avoid; }
}
"""
