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
