-- The figures of `patchpack report`, a row for each version of a patch.
WITH launches AS
(
    SELECT device, max(time) AS last_launch FROM believed WHERE event = 'launched' GROUP BY device
),
-- A patch is activated by itself, or as one of those that a launch begins with.
activations AS
(
    SELECT patch, version, device, time, event FROM believed WHERE event IN ('activated', 'deactivated')
    UNION ALL
    SELECT
        named.1 AS patch, named.2 AS version, device, time, 'activated' AS event
    FROM believed ARRAY JOIN running AS named
    -- `event` alone would be the column that is made here.
    WHERE believed.event = 'launched'
),
last_activations AS
(
    SELECT
        patch, version, device,
        argMax(event, (time, event = 'activated')) = 'activated' AS is_active,
        max(time) AS since
    FROM activations
    GROUP BY patch, version, device
),
by_device AS
(
    SELECT
        patch,
        version,
        device,
        -- Of the same moment, the graver stage counts.
        argMaxIf(stage_of, (time, indexOf(['compared', 'refused', 'trial', 'confirmed', 'over', 'withdrawn', 'rolled-back'], stage_of)),
            stage_of != '') AS stage,
        maxIf(time, stage_of != '') AS stage_time,
        countIf(event = 'failed' OR event = 'compared' AND (failed_runs > 0 OR error != '')) > 0 AS has_failed,
        countIf(event = 'compared') > 0 AS has_compared,
        countIf(event = 'rolled-back' AND NOT is_suspicion) > 0 AS was_rolled_back,
        countIf(event = 'rolled-back' AND is_suspicion) > 0 AND NOT was_rolled_back AND stage != 'confirmed'
            AS is_suspected,
        countIf(event = 'refused') > 0 AS has_refused
    FROM
    (
        SELECT
            *,
            -- One of several was the cause, and each is tried alone then.
            message = 'launches failed while it was on trial with others' AS is_suspicion,
            multiIf(event IN ('compared', 'refused', 'trial', 'confirmed', 'withdrawn', 'rolled-back'), event,
                event IN ('expired', 'not-applicable'), 'over', '') AS stage_of
        FROM believed
    )
    WHERE patch != '' AND version > 0
    GROUP BY patch, version, device
),
judged AS
(
    SELECT
        patch, version, device, stage, has_failed, has_compared, was_rolled_back, is_suspected, has_refused,
        is_active AND since >= last_launch
            AND NOT (stage IN ('refused', 'over', 'withdrawn', 'rolled-back') AND stage_time >= since) AS is_running
    FROM by_device
    LEFT JOIN last_activations USING (patch, version, device)
    LEFT JOIN launches USING (device)
)
SELECT
    patch AS id,
    version,
    devices,
    running,
    failing,
    rolledBack,
    suspected,
    refused,
    inShadow,
    shadowed,
    trial,
    good,
    over,
    withdrawn,
    calls,
    failures,
    fallbacks,
    agreed,
    differed,
    failed,
    incomparable,
    meanNanoseconds,
    longestNanoseconds,
    times,
    firstFailure
FROM
(
    SELECT
        patch,
        version,
        count() AS devices,
        countIf(is_running) AS running,
        countIf(has_failed) AS failing,
        countIf(was_rolled_back) AS rolledBack,
        countIf(is_suspected) AS suspected,
        countIf(has_refused) AS refused,
        countIf(stage = 'compared') AS inShadow,
        countIf(has_compared) AS shadowed,
        countIf(stage = 'trial') AS trial,
        countIf(stage = 'confirmed') AS good,
        countIf(stage = 'over') AS over,
        countIf(stage = 'withdrawn') AS withdrawn
    FROM judged
    GROUP BY patch, version
) AS counted
INNER JOIN
(
    SELECT
        patch,
        version,
        sum(believed.calls) AS calls,
        sum(least(believed.failures, believed.calls)) AS failures,
        sum(believed.fallbacks) AS fallbacks,
        sum(believed.agreed) AS agreed,
        sum(believed.differed) AS differed,
        sum(failed_runs) AS failed,
        sum(believed.incomparable) AS incomparable,
        -- A comparison has the time of its runs.
        if(sum(measured) > 0, intDiv(sumIf(nanoseconds, event = 'called'), sum(measured)), NULL) AS meanNanoseconds,
        if(sum(measured) > 0, max(longest), NULL) AS longestNanoseconds,
        -- Zeros at the end are left out in events.
        sumForEach(believed.times) AS times,
        minIf(toStartOfMinute(time), toUnixTimestamp64Milli(time) > 0 AND (event = 'failed' OR failed_runs > 0 OR event = 'rolled-back'
            AND message != 'launches failed while it was on trial with others')) AS firstFailure
    FROM believed
    WHERE patch != '' AND version > 0
    GROUP BY patch, version
) AS work USING (patch, version)
ORDER BY id, version
FORMAT JSONEachRow;
