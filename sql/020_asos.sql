-- The METAR archive.

CREATE SCHEMA asos;

CREATE TABLE asos.alldata (
    station varchar(4) COLLATE "C" NOT NULL,
    valid timestamptz NOT NULL,
    tmpf real,
    dwpf real,
    drct real,
    sknt real,
    alti real,
    gust real,
    vsby real,
    skyc1 char(3),
    skyc2 char(3),
    skyc3 char(3),
    skyl1 integer,
    skyl2 integer,
    skyl3 integer,
    metar varchar(256),
    skyc4 char(3),
    skyl4 integer,
    p03i real,
    p06i real,
    p24i real,
    max_tmpf_6hr real,
    min_tmpf_6hr real,
    max_tmpf_24hr real,
    min_tmpf_24hr real,
    mslp real,
    p01i real,
    wxcodes varchar[],
    report_type smallint,
    ice_accretion_1hr real,
    ice_accretion_3hr real,
    ice_accretion_6hr real,
    feel real,
    relh real,
    peak_wind_gust real,
    peak_wind_drct real,
    peak_wind_time timestamptz,
    snowdepth smallint,
    editable boolean
) PARTITION BY RANGE (valid);

-- Serves reads by station and time, and is what makes loading idempotent: one station may have
-- several reports of one minute and type (a high-frequency one, a correction), told apart by text.
CREATE UNIQUE INDEX alldata_key ON asos.alldata
    (station, valid, report_type, hashtext(metar)) NULLS NOT DISTINCT;

-- Reads in time order over all stations. A block-range index would not do: files arrive station
-- by station as often as hour by hour, and then every block range spans the whole partition.
CREATE INDEX alldata_valid_idx ON asos.alldata (valid);

CREATE VIEW asos.stations AS SELECT * FROM mesosite.stations;

INSERT INTO obstream.partitioning VALUES ('asos.alldata', 'year', 't');
