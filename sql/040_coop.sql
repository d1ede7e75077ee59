-- Daily climate data (climodat), their normals, and CoCoRaHS.

CREATE SCHEMA coop;

CREATE TABLE coop.alldata (
    station char(6) COLLATE "C" NOT NULL,
    day date NOT NULL,
    high integer,
    low integer,
    precip real,
    snow real,
    sday char(4) NOT NULL,
    year integer NOT NULL,
    month smallint NOT NULL,
    snowd real,
    temp_estimated boolean,
    precip_estimated boolean,
    temp_hour smallint,
    precip_hour smallint,
    narr_srad real,
    merra_srad real,
    era5land_srad real,
    hrrr_srad real,
    era5land_soilt4_min real,
    era5land_soilt4_max real,
    era5land_soilm4_avg real,
    nldas_soilt4_avg real,
    nldas_soilt4_min real,
    nldas_soilt4_max real,
    nldas_soilm4_avg real,
    era5land_soilm1m_avg real,
    nldas_soilm1m_avg real,
    power_srad real
) PARTITION BY RANGE (station);

CREATE UNIQUE INDEX alldata_key ON coop.alldata (station, day);
CREATE INDEX alldata_day_idx ON coop.alldata (day);

CREATE TABLE coop.ncei_climate91 (
    station varchar(11) COLLATE "C" NOT NULL,
    valid date NOT NULL,
    high real,
    low real,
    precip real,
    snow real,
    max_high real,
    max_low real,
    min_high real,
    min_low real,
    max_precip real,
    years integer,
    gdd32 real,
    gdd41 real,
    gdd46 real,
    gdd48 real,
    gdd50 real,
    gdd51 real,
    gdd52 real,
    sdd86 real,
    max_high_yr integer[],
    max_low_yr integer[],
    min_high_yr integer[],
    min_low_yr integer[],
    max_precip_yr integer[],
    max_range smallint,
    min_range smallint,
    hdd65 real,
    cdd65 real,
    srad real,
    sgdd32 real,
    sgdd50 real,
    sgdd52 real,
    CONSTRAINT ncei_climate91_key UNIQUE (station, valid)
);

CREATE TABLE coop.climate51 (
    station varchar(6) COLLATE "C" NOT NULL,
    valid date NOT NULL,
    high real,
    low real,
    precip real,
    snow real,
    max_high real,
    max_low real,
    min_high real,
    min_low real,
    max_precip real,
    years integer,
    gdd32 real,
    gdd41 real,
    gdd46 real,
    gdd48 real,
    gdd50 real,
    gdd51 real,
    gdd52 real,
    sdd86 real,
    max_high_yr integer[],
    max_low_yr integer[],
    min_high_yr integer[],
    min_low_yr integer[],
    max_precip_yr integer[],
    max_range smallint,
    min_range smallint,
    hdd65 real,
    cdd65 real,
    srad real,
    sgdd32 real,
    sgdd50 real,
    sgdd52 real,
    CONSTRAINT climate51_key UNIQUE (station, valid)
);

CREATE TABLE coop.alldata_cocorahs (
    iemid integer NOT NULL,
    day date NOT NULL,
    obvalid timestamptz,
    updated timestamptz,
    precip real,
    snow real,
    snowd real,
    snow_swe real,
    snowd_swe real
) PARTITION BY RANGE (day);

CREATE UNIQUE INDEX alldata_cocorahs_key ON coop.alldata_cocorahs (iemid, day);
CREATE INDEX alldata_cocorahs_day_idx ON coop.alldata_cocorahs (day);

CREATE VIEW coop.stations AS SELECT * FROM mesosite.stations;

INSERT INTO obstream.partitioning VALUES
    ('coop.alldata', 'prefix', 'alldata_'),
    ('coop.alldata_cocorahs', 'year', 'alldata_cocorahs_');
