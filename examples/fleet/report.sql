-- The figures of `patchpack report --feed`, a row for each version of a patch, of the events of an app in an environment:
--
--     clickhouse-client --param_app=com.example.shop --param_environment=release --queries-file report.sql
--
-- An empty app is any, as without `--feed`. Which patches are live is decided by the events, as there.
WITH own AS
(
    SELECT * FROM believed
    WHERE {app:String} = '' OR app = {app:String} AND environment IN ('', {environment:String})
),
launches AS
(
    SELECT device, max(time) AS last_launch FROM own WHERE event = 'launched' GROUP BY device
),
-- What events say of a patch. A launch lists those that it began with.
mentions AS
(
    SELECT
        patch, version, device, time, event, function, error, message, calls, failures, fallbacks, measured, nanoseconds, longest, times,
        agreed, differed, failed_runs, incomparable, app_version, system
    FROM own
    -- An event of a later version of the library says nothing yet. `closed` is `rolled-back` here.
    WHERE patch != '' AND version > 0 AND event IN ('loaded', 'activated', 'deactivated', 'refused', 'failed', 'fell-back', 'called',
        'compared', 'breaker-opened', 'breaker-closed', 'log', 'launched', 'trial', 'confirmed', 'rolled-back', 'safe-mode', 'waiting',
        'never-confirmed', 'expired', 'not-applicable', 'withdrawn', 'disabled', 'enabled', 'synced', 'sync-failed', 'switches',
        'store-failed', 'follower', 'misused')
    UNION ALL
    SELECT
        named.1 AS patch, named.2 AS version, device, time, 'running' AS event, '', '', '', 0, 0, 0, 0, 0, 0, [], 0, 0, 0, 0,
        app_version, system
    FROM own ARRAY JOIN arraySlice(running, 1, 64) AS named
    -- `event` alone would be the column that is made here.
    WHERE own.event = 'launched'
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
        argMaxIf(is_on, (time, is_on), event IN ('activated', 'deactivated', 'running')) AS is_active,
        maxIf(time, event IN ('activated', 'deactivated', 'running')) AS since,
        countIf(event = 'failed') > 0 AS has_failed_live,
        countIf(event = 'compared' AND (failed_runs > 0 OR error != '')) > 0 AS has_failed_in_shadow,
        countIf(event = 'compared') > 0 AS has_compared,
        countIf(event = 'rolled-back' AND NOT is_suspicion) > 0 AS was_rolled_back,
        countIf(event = 'rolled-back' AND is_suspicion) > 0 AND NOT was_rolled_back AND stage != 'confirmed'
            AS is_suspected,
        countIf(event = 'refused') > 0 AS has_refused,
        -- Of these, the device has run the patch, or has tried to.
        countIf(event IN ('activated', 'deactivated', 'refused', 'failed', 'fell-back', 'called', 'trial', 'confirmed', 'rolled-back',
            'running')) > 0 AS has_run
    FROM
    (
        SELECT
            *,
            -- One of several was the cause, and each is tried alone then.
            message = 'launches failed while it was on trial with others' AS is_suspicion,
            event IN ('activated', 'running') AS is_on,
            multiIf(event IN ('compared', 'refused', 'trial', 'confirmed', 'withdrawn', 'rolled-back'), event,
                event IN ('expired', 'not-applicable'), 'over', '') AS stage_of
        FROM mentions
    )
    GROUP BY patch, version, device
),
-- A patch is live if of its devices one in 200, and at least four, have run it since as many shadowed it again after that.
live AS
(
    SELECT
        patch, version, greatest(4, intDiv(count(), 200)) AS enough,
        arrayReverseSort(groupArrayIf(if(is_active, since, stage_time), has_run AND stage != 'compared')) AS runs,
        arrayReverseSort(groupArrayIf(stage_time, has_run AND stage = 'compared')) AS shadows,
        length(runs) >= enough AND (length(shadows) < enough OR runs[enough] > shadows[enough]) AS is_live
    FROM by_device
    GROUP BY patch, version
),
judged AS
(
    SELECT
        patch, version, device, stage, has_compared, was_rolled_back, is_suspected, has_refused,
        has_failed_live OR has_failed_in_shadow AND NOT is_live AS has_failed,
        -- Devices that only shadow a live patch count only in `shadowed`.
        has_run OR NOT is_live AS is_counted,
        is_active AND since >= last_launch
            AND NOT (stage IN ('refused', 'over', 'withdrawn', 'rolled-back') AND stage_time >= since) AS is_running
    FROM by_device
    INNER JOIN live USING (patch, version)
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
        countIf(is_counted) AS devices,
        countIf(is_counted AND is_running) AS running,
        countIf(is_counted AND has_failed) AS failing,
        countIf(is_counted AND was_rolled_back) AS rolledBack,
        countIf(is_counted AND is_suspected) AS suspected,
        countIf(is_counted AND has_refused) AS refused,
        countIf(is_counted AND stage = 'compared') AS inShadow,
        countIf(has_compared) AS shadowed,
        countIf(is_counted AND stage = 'trial') AS trial,
        countIf(is_counted AND stage = 'confirmed') AS good,
        countIf(is_counted AND stage = 'over') AS over,
        countIf(is_counted AND stage = 'withdrawn') AS withdrawn
    FROM judged
    GROUP BY patch, version
) AS counted
INNER JOIN
(
    SELECT
        patch,
        version,
        -- Sums of what devices make up end at the largest count.
        least(sumIf(toUInt128(mentions.calls), event = 'called'), 9223372036854775807) AS calls,
        least(sumIf(toUInt128(least(mentions.failures, mentions.calls)), event = 'called'), 9223372036854775807) AS failures,
        least(sumIf(toUInt128(mentions.fallbacks), event = 'called'), 9223372036854775807) AS fallbacks,
        least(sumIf(toUInt128(mentions.agreed), event = 'compared' AND function != ''), 9223372036854775807) AS agreed,
        least(sumIf(toUInt128(mentions.differed), event = 'compared' AND function != ''), 9223372036854775807) AS differed,
        least(sumIf(toUInt128(failed_runs), event = 'compared' AND function != ''), 9223372036854775807) AS failed,
        least(sumIf(toUInt128(mentions.incomparable), event = 'compared' AND function != ''), 9223372036854775807) AS incomparable,
        least(sumIf(toUInt128(measured), event = 'called'), 9223372036854775807) AS all_measured,
        if(all_measured > 0, intDiv(least(sumIf(toUInt128(nanoseconds), event = 'called'), 9223372036854775807), all_measured), NULL) AS meanNanoseconds,
        if(all_measured > 0, maxIf(longest, event = 'called'), NULL) AS longestNanoseconds,
        -- Zeros at the end are left out in events.
        arrayMap(x -> least(x, 9223372036854775807),
            sumForEachIf(arrayMap(x -> toUInt128(x), arraySlice(mentions.times, 1, 11)), event = 'called')) AS times,
        minIf(toStartOfMinute(time), toUnixTimestamp64Milli(time) > 0 AND (event = 'failed' OR event = 'compared' AND failed_runs > 0
            OR event = 'rolled-back' AND message != 'launches failed while it was on trial with others')) AS firstFailure
    FROM mentions
    GROUP BY patch, version
) AS work USING (patch, version)
ORDER BY id, version
FORMAT JSONEachRow;
