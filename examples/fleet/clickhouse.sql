-- Events of devices in ClickHouse, and the figures of `patchpack report` from them.
--
-- Lines of event logs (docs/events.md) are inserted as they are:
--
--     INSERT INTO events_lines FORMAT JSONAsString
--
-- An event has one row. The order makes the rows of a patch, and of a device in it, lie beside each other.
CREATE TABLE events
(
    time          DateTime64(3, 'UTC'),
    device        String,
    app           LowCardinality(String),
    environment   LowCardinality(String),
    app_version   LowCardinality(String),
    system        LowCardinality(String),
    event         LowCardinality(String),
    patch         LowCardinality(String),
    version       UInt32,
    function      LowCardinality(String),
    error         LowCardinality(String),
    message       String,
    repeats       UInt64,
    calls         UInt64,
    failures      UInt64,
    fallbacks     UInt64,
    measured      UInt64,
    nanoseconds   UInt64,
    longest       UInt64,
    times         Array(UInt64),
    agreed        UInt64,
    differed      UInt64,
    failed_runs   UInt64,
    incomparable  UInt64,
    running       Array(Tuple(patch String, version UInt32))
)
ENGINE = MergeTree
PARTITION BY toYYYYMM(time)
ORDER BY (patch, version, device, time);

-- The events with the times that are believed. The clock of a device may be wrong: an event from before 2020, or from more than a day
-- ahead, counts as one without a time.
CREATE VIEW believed AS
SELECT * REPLACE (
    if(time < toDateTime64('2020-01-01 00:00:00', 3, 'UTC') OR time > now64(3, 'UTC') + INTERVAL 1 DAY,
        toDateTime64(0, 3, 'UTC'), time) AS time)
FROM events;

CREATE TABLE events_lines (line String) ENGINE = Null;

CREATE MATERIALIZED VIEW events_from_lines TO events AS
SELECT
    parseDateTime64BestEffortOrZero(JSONExtractString(line, 'timestamp'), 3, 'UTC') AS time,
    JSONExtractString(line, 'resource', 'app.installation.id') AS device,
    JSONExtractString(line, 'resource', 'service.name') AS app,
    JSONExtractString(line, 'resource', 'deployment.environment.name') AS environment,
    JSONExtractString(line, 'resource', 'service.version') AS app_version,
    trimBoth(concat(
        JSONExtractString(line, 'resource', 'os.name'), ' ', JSONExtractString(line, 'resource', 'os.version'))) AS system,
    -- A patch whose `otherwise` alone answers counts as one that was rolled back.
    transform(JSONExtractString(line, 'eventName'), ['closed'], ['rolled-back']) AS event,
    JSONExtractString(line, 'attributes', 'patch.id') AS patch,
    JSONExtractUInt(line, 'attributes', 'patch.version') AS version,
    JSONExtractString(line, 'attributes', 'code.function.name') AS function,
    JSONExtractString(line, 'attributes', 'error.type') AS error,
    -- That of a roll-back is its reason.
    JSONExtractString(line, 'attributes', if(event = 'rolled-back', 'patch.reason', 'error.message')) AS message,
    JSONExtractUInt(line, 'attributes', 'event.count') AS repeats,
    JSONExtractUInt(line, 'attributes', 'patch.calls') AS calls,
    JSONExtractUInt(line, 'attributes', 'patch.failures') AS failures,
    JSONExtractUInt(line, 'attributes', 'patch.fallbacks') AS fallbacks,
    JSONExtractUInt(line, 'attributes', 'patch.measured') AS measured,
    JSONExtractUInt(line, 'attributes', 'patch.nanoseconds') AS nanoseconds,
    JSONExtractUInt(line, 'attributes', 'patch.longest') AS longest,
    JSONExtract(line, 'attributes', 'patch.times', 'Array(UInt64)') AS times,
    JSONExtractUInt(line, 'attributes', 'shadow.agreed') AS agreed,
    JSONExtractUInt(line, 'attributes', 'shadow.differed') AS differed,
    JSONExtractUInt(line, 'attributes', 'shadow.failed') AS failed_runs,
    JSONExtractUInt(line, 'attributes', 'shadow.incomparable') AS incomparable,
    arrayMap(
        named -> (JSONExtractString(named, 'patch.id'), toUInt32(JSONExtractUInt(named, 'patch.version'))),
        JSONExtractArrayRaw(line, 'attributes', 'patch.running')) AS running
FROM events_lines
WHERE JSONExtractString(line, 'schema') = 'patchpack.event/1' AND JSONExtractString(line, 'eventName') != '' AND device != ''
-- Anyone can send a line. One whose count or name is none, by the forms in docs/events.md, says nothing at all.
AND arrayAll(
    name -> NOT JSONHas(line, 'attributes', name)
        OR JSONType(line, 'attributes', name) = 'Int64' AND JSONExtractInt(line, 'attributes', name) >= 0,
    ['event.count', 'patch.calls', 'patch.failures', 'patch.fallbacks', 'patch.measured', 'patch.nanoseconds', 'patch.longest',
        'shadow.agreed', 'shadow.differed', 'shadow.failed', 'shadow.incomparable'])
AND (NOT JSONHas(line, 'attributes', 'patch.times')
    OR JSONType(line, 'attributes', 'patch.times') = 'Array'
        AND arrayAll(x -> match(x, '^[0-9]+$'), JSONExtractArrayRaw(line, 'attributes', 'patch.times')))
AND (NOT JSONHas(line, 'attributes', 'patch.version') AND version = 0
    OR JSONType(line, 'attributes', 'patch.version') = 'Int64' AND patch != ''
        AND JSONExtractInt(line, 'attributes', 'patch.version') BETWEEN 1 AND 2147483647)
AND (patch = '' OR length(patch) <= 128 AND match(patch, '^[A-Za-z0-9_-]+([.][A-Za-z0-9_-]+)+$'))
AND (function = '' OR length(function) <= 128 AND match(function, '^[A-Za-z_][A-Za-z0-9_]*([.:][A-Za-z_][A-Za-z0-9_]*)*$'))
AND (error = '' OR match(error, '^[A-Za-z0-9._-]{1,64}$'))
AND (app_version = '' OR match(app_version, '^(0|[1-9][0-9]{0,9})([.](0|[1-9][0-9]{0,9})){0,3}$')
    AND arrayAll(x -> toUInt64OrZero(x) <= 2147483647, splitByChar('.', app_version)))
AND arrayAll(name -> length(name) <= 64 AND NOT match(name, '[\\x00-\\x1f\\x7f]'),
    [JSONExtractString(line, 'resource', 'os.name'), JSONExtractString(line, 'resource', 'os.version')])
AND arrayAll(named -> match(named.1, '^[A-Za-z0-9_-]+([.][A-Za-z0-9_-]+)+$') AND named.2 BETWEEN 1 AND 2147483647, running);
