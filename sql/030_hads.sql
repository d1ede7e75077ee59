-- The SHEF archive. Values are a multiset: a gauge may report one key twice for one minute, with
-- equal or different values, and every report is kept; hence no unique index. The loader replaces
-- what a station had for a key and time by what a newer file says.

CREATE SCHEMA hads;

CREATE TABLE hads.raw (
    station varchar(8) COLLATE "C" NOT NULL,
    valid timestamptz NOT NULL,
    key varchar(11) COLLATE "C" NOT NULL,
    value real,
    depth smallint,
    unit_convention char(1),
    qualifier char(1),
    dv_interval interval
) PARTITION BY RANGE (valid);

CREATE INDEX raw_station_valid_idx ON hads.raw (station, valid);
CREATE INDEX raw_valid_idx ON hads.raw (valid);

CREATE TABLE hads.alldata (
    station varchar(8) COLLATE "C" NOT NULL,
    valid timestamptz NOT NULL,
    tmpf real,
    dwpf real,
    sknt real,
    drct real
) PARTITION BY RANGE (valid);

CREATE UNIQUE INDEX alldata_key ON hads.alldata (station, valid);
CREATE INDEX alldata_valid_idx ON hads.alldata (valid);

CREATE VIEW hads.stations AS SELECT * FROM mesosite.stations;

-- A month of SHEF is as large as a year of METAR.
INSERT INTO obstream.partitioning VALUES
    ('hads.raw', 'month', 'raw'),
    ('hads.alldata', 'year', 't');
