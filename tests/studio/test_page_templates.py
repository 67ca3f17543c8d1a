from __future__ import annotations

from singletable.studio.page_templates import json_markup, unbroken_units


def test_the_json_filter_of_page_templates_mutes_names_and_marks_the_values_of_attributes() -> None:
    shown = json_markup('Query\n{"TableName": "T", ":v": {"S": "a \\" <b>"}, "L": ["x"]}')
    assert shown == (
        'Query\n{<span class="literal">&#34;TableName&#34;</span>: &#34;T&#34;, '
        '<span class="literal">&#34;:v&#34;</span>: {<span class="literal">&#34;S&#34;</span>: '
        '<span class="value">&#34;a \\&#34; &lt;b&gt;&#34;</span>}, '
        '<span class="literal">&#34;L&#34;</span>: [&#34;x&#34;]}'
    )


def test_the_units_filter_of_page_templates_keeps_a_number_and_its_unit_on_one_line() -> None:
    assert unbroken_units("≈0.5 RRU for 10 items, 4 words") == (
        "≈0.5\N{NO-BREAK SPACE}RRU for 10\N{NO-BREAK SPACE}items, 4 words"
    )
