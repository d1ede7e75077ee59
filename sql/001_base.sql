-- What the other migrations build on. Each file is one transaction; it is never changed once
-- released (obstream.schema_version keeps its checksum), a later one amends it.

-- How the partitions of a table are cut: by UTC calendar year or month, or by the first two
-- characters of the station id. A partition is named stem || 2024, stem || 2024_06 or stem || ia.
CREATE TABLE obstream.partitioning (
    parent text PRIMARY KEY,
    unit text NOT NULL CHECK (unit IN ('year', 'month', 'prefix')),
    stem text NOT NULL
);

-- Makes one partition unless it is there; tells whether it did. The table is made apart and then
-- attached: that locks out no reader, unlike CREATE TABLE ... PARTITION OF.
CREATE FUNCTION obstream.add_partition(parent text, stem text, lower_bound text, upper_bound text)
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
    EXECUTE format('ALTER TABLE %s ATTACH PARTITION %s FOR VALUES FROM (%L) TO (%L)',
                   parent, child, lower_bound, upper_bound);
    RETURN true;
END $$;

-- Makes the partitions of `parent` that hold the instants from_time to to_time, both included;
-- returns how many were missing. Safe to call from several sessions.
CREATE FUNCTION obstream.ensure_partitions(parent text, from_time timestamptz, to_time timestamptz)
RETURNS integer LANGUAGE plpgsql SET TimeZone = 'UTC' SET DateStyle = 'ISO' AS $$
DECLARE
    rule obstream.partitioning;
    step interval;
    lower_bound timestamptz;
    made integer := 0;
BEGIN
    SELECT p.* INTO rule FROM obstream.partitioning p
        WHERE p.parent = ensure_partitions.parent AND p.unit IN ('year', 'month');
    IF NOT FOUND THEN
        RAISE EXCEPTION 'table % is not partitioned by time', parent;
    END IF;
    PERFORM pg_advisory_xact_lock(hashtext('obstream.partitions'), hashtext(parent));
    step := ('1 ' || rule.unit)::interval;
    lower_bound := date_trunc(rule.unit, from_time);
    WHILE lower_bound <= to_time LOOP
        IF obstream.add_partition(parent,
               rule.stem || to_char(lower_bound, CASE rule.unit WHEN 'year' THEN 'FMYYYY'
                                                                ELSE 'FMYYYY_MM' END),
               lower_bound::text, (lower_bound + step)::text) THEN
            made := made + 1;
        END IF;
        lower_bound := lower_bound + step;
    END LOOP;
    RETURN made;
END $$;

-- The same for a table that is partitioned by station id, for one id.
CREATE FUNCTION obstream.ensure_partition(parent text, station text)
RETURNS integer LANGUAGE plpgsql AS $$
DECLARE
    rule obstream.partitioning;
    prefix text := substr(station, 1, 2);
BEGIN
    SELECT p.* INTO rule FROM obstream.partitioning p
        WHERE p.parent = ensure_partition.parent AND p.unit = 'prefix';
    IF NOT FOUND THEN
        RAISE EXCEPTION 'table % is not partitioned by station', parent;
    END IF;
    IF prefix !~ '^[A-Z0-9]{2}$' THEN
        RAISE EXCEPTION 'station "%" does not start with two capital letters or digits', station;
    END IF;
    PERFORM pg_advisory_xact_lock(hashtext('obstream.partitions'), hashtext(parent));
    -- ids sort bytewise, so the next prefix bounds all ids of this one
    RETURN obstream.add_partition(parent, rule.stem || lower(prefix), prefix,
                                  left(prefix, 1) || chr(ascii(right(prefix, 1)) + 1))::integer;
END $$;

-- Degrees Fahrenheit to Celsius.
CREATE FUNCTION public.f2c(real) RETURNS double precision
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN ($1::double precision - 32) * 5 / 9;

-- Growing degree days of one day: both extremes are held within base and ceiling, then averaged.
CREATE FUNCTION public.gddxx(base real, ceiling real, high real, low real) RETURNS numeric
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN ((least(greatest(high, base), ceiling) + least(greatest(low, base), ceiling)) / 2.0
        - base)::numeric;
