-- The monthly roll-up of coop.alldata: counts, sums and extremes of each station and month, beside
-- the daily rows. Amounts are whole millionths of their unit, so that sums are exact and do not
-- depend on how they are put together. A trace (0.0001) counts as zero. Of days with the same
-- extreme the first is kept.
CREATE TABLE coop.rollup_month (
    station char(6) COLLATE "C" NOT NULL,
    month date NOT NULL, -- its first day
    high_n smallint NOT NULL,
    high_sum double precision,
    high_min double precision,
    high_min_day integer, -- days since 1970-01-01, as all *_day
    high_max double precision,
    high_max_day integer,
    low_n smallint NOT NULL,
    low_sum double precision,
    low_min double precision,
    low_min_day integer,
    low_max double precision,
    low_max_day integer,
    avg_n smallint NOT NULL, -- days with high and low
    avg_sum double precision,
    avg_min double precision,
    avg_min_day integer,
    avg_max double precision,
    avg_max_day integer,
    precip_n smallint NOT NULL,
    precip_sum double precision,
    precip_min double precision,
    precip_min_day integer,
    precip_max double precision,
    precip_max_day integer,
    snow_n smallint NOT NULL,
    snow_sum double precision,
    snow_min double precision,
    snow_min_day integer,
    snow_max double precision,
    snow_max_day integer,
    snowd_n smallint NOT NULL,
    snowd_sum double precision,
    snowd_min double precision,
    snowd_min_day integer,
    snowd_max double precision,
    snowd_max_day integer,
    gdd_sum double precision, -- base 50, ceiling 86
    hdd_sum double precision, -- below 65
    cdd_sum double precision, -- above 65
    sdd_sum double precision, -- high above 86
    PRIMARY KEY (station, month)
);

-- Months whose daily rows were written since they were rolled up. Rows are only ever added, by
-- whoever writes, and taken out by the roll-up that saw them: so two sessions never wait for each
-- other, and a write that is not yet visible keeps its row. Months listed here are read from the
-- daily rows.
CREATE TABLE coop.rollup_touched (
    station char(6) COLLATE "C" NOT NULL,
    month date NOT NULL
);

CREATE INDEX rollup_touched_idx ON coop.rollup_touched (station, month);

CREATE FUNCTION coop.month_of(day date) RETURNS date
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN day - (date_part('day', day)::integer - 1);

CREATE FUNCTION coop.rollup_touch_new() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO coop.rollup_touched SELECT DISTINCT station, coop.month_of(day) FROM written;
    RETURN NULL;
END $$;

CREATE FUNCTION coop.rollup_touch_both() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO coop.rollup_touched SELECT station, coop.month_of(day) FROM written
        UNION SELECT station, coop.month_of(day) FROM gone;
    RETURN NULL;
END $$;

CREATE FUNCTION coop.rollup_touch_all() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO coop.rollup_touched SELECT station, month FROM coop.rollup_month;
    RETURN NULL;
END $$;

-- Triggers of a statement fire for the table that it names, hence each partition has its own.
CREATE FUNCTION coop.rollup_watch(part regclass) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE format('CREATE TRIGGER rollup_insert AFTER INSERT ON %s REFERENCING NEW TABLE AS written'
        ' FOR EACH STATEMENT EXECUTE FUNCTION coop.rollup_touch_new()', part);
    EXECUTE format('CREATE TRIGGER rollup_delete AFTER DELETE ON %s REFERENCING OLD TABLE AS written'
        ' FOR EACH STATEMENT EXECUTE FUNCTION coop.rollup_touch_new()', part);
    EXECUTE format('CREATE TRIGGER rollup_update AFTER UPDATE ON %s'
        ' REFERENCING NEW TABLE AS written OLD TABLE AS gone'
        ' FOR EACH STATEMENT EXECUTE FUNCTION coop.rollup_touch_both()', part);
    EXECUTE format('CREATE TRIGGER rollup_truncate AFTER TRUNCATE ON %s'
        ' FOR EACH STATEMENT EXECUTE FUNCTION coop.rollup_touch_all()', part);
END $$;

SELECT coop.rollup_watch(relid) FROM pg_partition_tree('coop.alldata');

-- As it was, and new partitions of the daily rows are watched.
CREATE OR REPLACE FUNCTION obstream.add_partition(parent text, stem text, lower_bound text,
                                                  upper_bound text)
RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
    parts text[] := parse_ident(parent);
    child text := format('%I.%I', parts[1], stem);
BEGIN
    IF to_regclass(child) IS NOT NULL THEN
        RETURN false;
    END IF;
    EXECUTE format('CREATE TABLE %s (LIKE %s INCLUDING DEFAULTS INCLUDING CONSTRAINTS)',
                   child, parent);
    IF parent = 'coop.alldata' THEN
        PERFORM coop.rollup_watch(child::regclass);
    END IF;
    EXECUTE format('ALTER TABLE %s ATTACH PARTITION %s FOR VALUES FROM (%L) TO (%L)',
                   parent, child, lower_bound, upper_bound);
    RETURN true;
END $$;

INSERT INTO coop.rollup_touched SELECT DISTINCT station, coop.month_of(day) FROM coop.alldata;

-- Millionths; NULL stays NULL.
CREATE FUNCTION coop.micro(v double precision) RETURNS double precision
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN round(v * 1e6);

-- The same of an amount of rain or snow, with a trace as zero.
CREATE FUNCTION coop.micro_amount(v double precision) RETURNS double precision
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE WHEN round(v * 1e6) = 100 THEN 0 ELSE round(v * 1e6) END;

-- Rolls up the touched months of a station; returns how many there were. A write that becomes visible
-- between the statements below is read, and its row stays in the list: the month is then made once
-- more the next time.
CREATE FUNCTION coop.rollup_refresh(which bpchar) RETURNS integer LANGUAGE plpgsql AS $$
DECLARE
    months date[];
BEGIN
    PERFORM pg_advisory_xact_lock(hashtext('coop.rollup'), hashtext(which));
    WITH taken AS (DELETE FROM coop.rollup_touched WHERE station = which RETURNING month)
        SELECT array_agg(DISTINCT month) INTO months FROM taken;
    IF months IS NULL THEN
        RETURN 0;
    END IF;
    DELETE FROM coop.rollup_month WHERE station = which AND month = ANY(months);
    INSERT INTO coop.rollup_month
    SELECT which, month,
        high_n, high_sum, high_min[1], high_min[2], high_max[1], -high_max[2],
        low_n, low_sum, low_min[1], low_min[2], low_max[1], -low_max[2],
        avg_n, avg_sum, avg_min[1], avg_min[2], avg_max[1], -avg_max[2],
        precip_n, precip_sum, precip_min[1], precip_min[2], precip_max[1], -precip_max[2],
        snow_n, snow_sum, snow_min[1], snow_min[2], snow_max[1], -snow_max[2],
        snowd_n, snowd_sum, snowd_min[1], snowd_min[2], snowd_max[1], -snowd_max[2],
        gdd_sum, hdd_sum, cdd_sum, sdd_sum
    FROM (
        SELECT month,
            count(high) AS high_n, sum(high) AS high_sum,
            min(ARRAY[high, d]) FILTER (WHERE high IS NOT NULL) AS high_min,
            max(ARRAY[high, -d]) FILTER (WHERE high IS NOT NULL) AS high_max,
            count(low) AS low_n, sum(low) AS low_sum,
            min(ARRAY[low, d]) FILTER (WHERE low IS NOT NULL) AS low_min,
            max(ARRAY[low, -d]) FILTER (WHERE low IS NOT NULL) AS low_max,
            count(avg) AS avg_n, sum(avg) AS avg_sum,
            min(ARRAY[avg, d]) FILTER (WHERE avg IS NOT NULL) AS avg_min,
            max(ARRAY[avg, -d]) FILTER (WHERE avg IS NOT NULL) AS avg_max,
            count(precip) AS precip_n, sum(precip) AS precip_sum,
            min(ARRAY[precip, d]) FILTER (WHERE precip IS NOT NULL) AS precip_min,
            max(ARRAY[precip, -d]) FILTER (WHERE precip IS NOT NULL) AS precip_max,
            count(snow) AS snow_n, sum(snow) AS snow_sum,
            min(ARRAY[snow, d]) FILTER (WHERE snow IS NOT NULL) AS snow_min,
            max(ARRAY[snow, -d]) FILTER (WHERE snow IS NOT NULL) AS snow_max,
            count(snowd) AS snowd_n, sum(snowd) AS snowd_sum,
            min(ARRAY[snowd, d]) FILTER (WHERE snowd IS NOT NULL) AS snowd_min,
            max(ARRAY[snowd, -d]) FILTER (WHERE snowd IS NOT NULL) AS snowd_max,
            sum((least(greatest(high, 5e7), 8.6e7) + least(greatest(low, 5e7), 8.6e7)) / 2 - 5e7)
                FILTER (WHERE avg IS NOT NULL) AS gdd_sum,
            sum(greatest(6.5e7 - avg, 0)) FILTER (WHERE avg IS NOT NULL) AS hdd_sum,
            sum(greatest(avg - 6.5e7, 0)) FILTER (WHERE avg IS NOT NULL) AS cdd_sum,
            sum(greatest(high - 8.6e7, 0)) FILTER (WHERE high IS NOT NULL) AS sdd_sum
        FROM (
            SELECT m.month, a.day - DATE '1970-01-01' AS d,
                coop.micro(a.high) AS high, coop.micro(a.low) AS low,
                (coop.micro(a.high) + coop.micro(a.low)) / 2 AS avg,
                coop.micro_amount(a.precip) AS precip, coop.micro_amount(a.snow) AS snow,
                coop.micro_amount(a.snowd) AS snowd
            FROM unnest(months) m(month) CROSS JOIN LATERAL (
                -- month by month: no other way is good whatever the planner knows
                SELECT * FROM coop.alldata t WHERE t.station = which AND t.day >= m.month
                    AND t.day < (m.month + interval '1 month')::date OFFSET 0
            ) a OFFSET 0
        ) daily GROUP BY month
    ) fresh;
    RETURN cardinality(months);
END $$;
