"""ST201 to ST228: rules about stored items. `check --items` reports them, and `accept=` knows their codes."""

from __future__ import annotations

from singletable.verify.findings import Rule

NO_ENTITY = Rule("ST201", "item matches no entity", "error")
UNREADABLE = Rule("ST202", "item cannot be read", "error")
KEY_DIFFERS = Rule("ST203", "key differs from the model", "error")
INDEX_KEY_DIFFERS = Rule("ST204", "index key differs from the model", "error")
MISSING_IN_INDEX = Rule("ST205", "item missing from an index", "error")
UNEXPECTED_IN_INDEX = Rule("ST206", "unexpected item in an index", "error")
UNPADDED_NUMBER = Rule("ST207", "number without padding in a key", "error")
HIDDEN_BY_NONE = Rule("ST208", "optional field hides items from an index", "warning")
LARGE_ITEM = Rule("ST209", "item near the size limit", "warning")
LARGE_PARTITION = Rule("ST210", "partition larger than declared", "warning")
LARGE_COLLECTION = Rule("ST211", "item collection near 10 GB", "warning")
UNEVEN_PARTITIONS = Rule("ST212", "few or uneven partitions", "warning")
PARTITION_BY_TIME = Rule("ST213", "partition by time", "warning")
MALFORMED_TIME = Rule("ST214", "malformed time", "warning")
NUMBER_AS_TEXT = Rule("ST215", "number stored as text", "warning")
PLACEHOLDER_VALUE = Rule("ST216", "placeholder as a value", "warning")
IMPLAUSIBLE_TTL = Rule("ST217", "implausible TTL", "warning")
SEVERAL_TYPES = Rule("ST218", "attribute with several types", "warning")
KEY_SHAPES = Rule("ST219", "key with another number of parts", "warning")
SEVERAL_SPELLINGS = Rule("ST220", "attribute name in several spellings", "warning")
EMPTY_KEY = Rule("ST221", "empty string in an index key", "error")
TIME_WITHOUT_ZONE_RULE = Rule("ST222", "time without a time zone", "warning")
MAP_BY_ID = Rule("ST223", "map grows by id", "warning")
INCOMPLETE_KEY = Rule("ST225", "incomplete index key", "warning")
JSON_AS_TEXT = Rule("ST226", "JSON stored as text", "warning")
LOCAL_OFFSET = Rule("ST227", "time with a UTC offset in a key", "warning")
COUNTER_TOO_SMALL = Rule("ST228", "counter out of step", "warning")
OTHER_PERIOD = Rule("ST224", "time outside its period", "warning")

ITEM_RULES = (
    NO_ENTITY,
    UNREADABLE,
    KEY_DIFFERS,
    INDEX_KEY_DIFFERS,
    MISSING_IN_INDEX,
    UNEXPECTED_IN_INDEX,
    UNPADDED_NUMBER,
    HIDDEN_BY_NONE,
    LARGE_ITEM,
    LARGE_PARTITION,
    LARGE_COLLECTION,
    UNEVEN_PARTITIONS,
    PARTITION_BY_TIME,
    MALFORMED_TIME,
    NUMBER_AS_TEXT,
    PLACEHOLDER_VALUE,
    IMPLAUSIBLE_TTL,
    SEVERAL_TYPES,
    KEY_SHAPES,
    SEVERAL_SPELLINGS,
    EMPTY_KEY,
    TIME_WITHOUT_ZONE_RULE,
    MAP_BY_ID,
    OTHER_PERIOD,
    INCOMPLETE_KEY,
    JSON_AS_TEXT,
    LOCAL_OFFSET,
    COUNTER_TOO_SMALL,
)
