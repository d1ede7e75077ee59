-- Stations, networks and what hangs on them. Positions are plain numbers: no PostGIS is needed.

CREATE SCHEMA mesosite;

CREATE SEQUENCE mesosite.iemid_seq AS integer;

CREATE TABLE mesosite.stations (
    id varchar(64) COLLATE "C" NOT NULL,
    synop integer,
    name varchar(64),
    state char(2),
    country char(2),
    elevation real,
    network varchar(20) COLLATE "C" NOT NULL,
    online boolean,
    params varchar(300),
    county varchar(50),
    plot_name varchar(64),
    climate_site varchar(6),
    remote_id integer,
    nwn_id integer,
    spri smallint,
    wfo varchar(3),
    archive_begin date,
    archive_end date,
    modified timestamptz,
    tzname varchar(32),
    iemid integer NOT NULL DEFAULT nextval('mesosite.iemid_seq'),
    metasite boolean,
    sigstage_low real,
    sigstage_action real,
    sigstage_bankfull real,
    sigstage_flood real,
    sigstage_moderate real,
    sigstage_major real,
    sigstage_record real,
    ugc_county char(6),
    ugc_zone char(6),
    ncdc81 varchar(11),
    ncei91 varchar(11),
    temp24_hour smallint,
    precip24_hour smallint,
    wigos varchar(64),
    lon double precision,
    lat double precision,
    CONSTRAINT stations_key UNIQUE (id, network),
    CONSTRAINT stations_iemid_key UNIQUE (iemid),
    CONSTRAINT stations_lon CHECK (lon BETWEEN -180 AND 180),
    CONSTRAINT stations_lat CHECK (lat BETWEEN -90 AND 90),
    -- CSV services print names without quoting them
    CONSTRAINT stations_no_comma CHECK (strpos(concat(id, network, name), ',') = 0)
);

CREATE INDEX stations_network_idx ON mesosite.stations (network);

CREATE TABLE mesosite.networks (
    id varchar(12) COLLATE "C" NOT NULL,
    name varchar,
    tzname varchar(32),
    windrose_update timestamptz,
    -- the extent, as a box in degrees and as the two texts services print
    extent_west double precision,
    extent_south double precision,
    extent_east double precision,
    extent_north double precision,
    extent_wkt text,
    extent_ewkb_hex text,
    CONSTRAINT networks_key UNIQUE (id)
);

CREATE TABLE mesosite.station_attributes (
    iemid integer NOT NULL,
    attr varchar(128) NOT NULL,
    value varchar,
    CONSTRAINT station_attributes_key UNIQUE (iemid, attr)
);

CREATE TABLE mesosite.station_threading (
    iemid integer NOT NULL,
    source_iemid integer NOT NULL,
    begin_date date,
    end_date date,
    CONSTRAINT station_threading_key UNIQUE NULLS NOT DISTINCT (iemid, source_iemid, begin_date)
);

CREATE TABLE mesosite.weblog (
    valid timestamptz,
    client_addr inet,
    uri text,
    referer text,
    http_status integer,
    x_forwarded_for text,
    domain text
);

-- Networks whose extent was given in one form get the others: box and WKT from each other, the
-- EWKB (PostGIS manual, "EWKB": little endian, polygon with SRID 4326, one ring of five points)
-- from the box.
CREATE FUNCTION mesosite.float8_hex(v double precision) RETURNS text
LANGUAGE sql IMMUTABLE STRICT
RETURN (SELECT string_agg(encode(substr(float8send(v), i, 1), 'hex'), '' ORDER BY i DESC)
        FROM generate_series(1, 8) i);

CREATE FUNCTION mesosite.ewkb_box(w double precision, s double precision, e double precision,
                                  n double precision) RETURNS text
LANGUAGE sql IMMUTABLE STRICT
RETURN '0103000020e61000000100000005000000' ||
       (SELECT string_agg(mesosite.float8_hex(v), '' ORDER BY i)
        FROM unnest(ARRAY[w, s, w, n, e, n, e, s, w, s]) WITH ORDINALITY u(v, i));

CREATE FUNCTION obstream.networks_complete() RETURNS void LANGUAGE sql AS $$
    UPDATE mesosite.networks n
    SET extent_west = b.w, extent_south = b.s, extent_east = b.e, extent_north = b.n
    FROM (SELECT id, min(p[1]::double precision) w, max(p[1]::double precision) e,
                 min(p[2]::double precision) s, max(p[2]::double precision) n
          FROM mesosite.networks,
               regexp_matches(extent_wkt, '(-?\d+(?:\.\d*)?(?:e-?\d\d?)?) +'
                                          '(-?\d+(?:\.\d*)?(?:e-?\d\d?)?)', 'gi') p
          WHERE extent_west IS NULL GROUP BY id) b
    WHERE b.id = n.id AND n.extent_west IS NULL;

    UPDATE mesosite.networks
    SET extent_wkt = coalesce(extent_wkt,
            format('POLYGON((%1$s %2$s,%1$s %4$s,%3$s %4$s,%3$s %2$s,%1$s %2$s))',
                   extent_west, extent_south, extent_east, extent_north)),
        extent_ewkb_hex = coalesce(extent_ewkb_hex,
            mesosite.ewkb_box(extent_west, extent_south, extent_east, extent_north))
    WHERE extent_west IS NOT NULL AND (extent_wkt IS NULL OR extent_ewkb_hex IS NULL);
$$;
