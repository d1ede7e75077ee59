-- The tables of an IEM installation as obstream meets them: one database per data set, PostGIS
-- positions, partitions and indexes of its kind. For psql, connected as a superuser; makes the
-- databases asos, hads, coop, iem and mesosite. tests/sql/iem_load.sh fills them.
\set ON_ERROR_STOP on
\set QUIET on
set client_min_messages = warning;

-- Unlike in obstream's own database, text sorts by the rules of a language here.
create database asos template template0 locale_provider icu icu_locale 'en-US';
create database hads template template0 locale_provider icu icu_locale 'en-US';
create database coop template template0 locale_provider icu icu_locale 'en-US';
create database iem template template0 locale_provider icu icu_locale 'en-US';
create database mesosite template template0 locale_provider icu icu_locale 'en-US';

-- Texts that several databases share.
select '
    id varchar(64), synop int, name varchar(64), state char(2), country char(2), elevation real,
    network varchar(20), online boolean, params varchar(300), county varchar(50),
    plot_name varchar(64), climate_site varchar(6), remote_id int, nwn_id int, spri smallint,
    wfo varchar(3), archive_begin date, archive_end date, modified timestamptz,
    tzname varchar(32), iemid int unique, metasite boolean, sigstage_low real,
    sigstage_action real, sigstage_bankfull real, sigstage_flood real, sigstage_moderate real,
    sigstage_major real, sigstage_record real, ugc_county char(6), ugc_zone char(6),
    ncdc81 varchar(11), ncei91 varchar(11), temp24_hour smallint, precip24_hour smallint,
    wigos varchar(64), geom geometry(Point, 4326)
' as station_columns,
'
    valid date, high real, low real, precip real, snow real, max_high real,
    max_low real, min_high real, min_low real, max_precip real, years int, gdd32 real,
    gdd41 real, gdd46 real, gdd48 real, gdd50 real, gdd51 real, gdd52 real, sdd86 real,
    max_high_yr int[], max_low_yr int[], min_high_yr int[], min_low_yr int[],
    max_precip_yr int[], max_range smallint, min_range smallint, hdd65 real, cdd65 real,
    srad real, sgdd32 real, sgdd50 real, sgdd52 real
' as climate_columns,
'create function f2c(real) returns double precision language sql immutable as
    $f$ select ($1 - 32.0) / 1.8 $f$' as f2c \gset

\c mesosite
create extension postgis;
create table networks (
    id varchar(12) primary key,
    name varchar,
    tzname varchar(32),
    extent geometry(Geometry, 4326),
    windrose_update timestamptz
);
create table stations (:station_columns);
create unique index stations_idx on stations (id, network);
create table station_attributes (
    iemid int references stations (iemid), attr varchar(128) not null, value varchar not null
);
create unique index station_attributes_idx on station_attributes (iemid, attr);
create table station_threading (
    iemid int references stations (iemid), source_iemid int references stations (iemid),
    begin_date date not null, end_date date
);
create table weblog (
    valid timestamptz default now(), client_addr inet, uri text, referer text, http_status int,
    x_forwarded_for text, domain text
);

\c asos
create extension postgis;
create table stations (:station_columns);
create unique index stations_idx on stations (id, network);
:f2c;
create table alldata (
    station varchar(4), valid timestamptz, tmpf real, dwpf real, drct real, sknt real, alti real,
    gust real, vsby real, skyc1 char(3), skyc2 char(3), skyc3 char(3), skyl1 int, skyl2 int,
    skyl3 int, metar varchar(256), skyc4 char(3), skyl4 int, p03i real, p06i real, p24i real,
    max_tmpf_6hr real, min_tmpf_6hr real, max_tmpf_24hr real, min_tmpf_24hr real, mslp real,
    p01i real, wxcodes varchar(12)[], report_type smallint, ice_accretion_1hr real,
    ice_accretion_3hr real, ice_accretion_6hr real, feel real, relh real, peak_wind_gust real,
    peak_wind_drct real, peak_wind_time timestamptz, snowdepth smallint, editable boolean
) partition by range (valid);
do $$
begin
    for y in 1900..2030 loop
        execute format('create table t%s partition of alldata for values from (%L) to (%L)', y,
            format('%s-01-01 00:00+00', y), format('%s-01-01 00:00+00', y + 1));
        execute format('create index t%s_valid_idx on t%s (valid)', y, y);
        execute format('create index t%s_station_idx on t%s (station)', y, y);
    end loop;
end $$;

\c hads
create table raw (
    station varchar(8), valid timestamptz, key varchar(11), value real, depth smallint,
    unit_convention char(1), qualifier char(1), dv_interval interval
) partition by range (valid);
create table alldata (
    station varchar(8), valid timestamptz, tmpf real, dwpf real, sknt real, drct real
) partition by range (valid);
do $$
declare
    starts timestamptz;
begin
    for y in 2002..2030 loop
        execute format('create table t%s partition of alldata for values from (%L) to (%L)', y,
            format('%s-01-01 00:00+00', y), format('%s-01-01 00:00+00', y + 1));
        execute format('create index t%s_idx on t%s (station, valid)', y, y);
        execute format('create table raw%s partition of raw for values from (%L) to (%L) '
            'partition by range (valid)', y, format('%s-01-01 00:00+00', y),
            format('%s-01-01 00:00+00', y + 1));
        for m in 1..12 loop
            starts := make_timestamptz(y, m, 1, 0, 0, 0, 'UTC');
            execute format('create table raw%s_%s partition of raw%s for values from (%L) to (%L)',
                y, to_char(m, 'fm00'), y, starts,
                (starts at time zone 'UTC' + interval '1 month') at time zone 'UTC');
            execute format('create index raw%s_%s_idx on raw%s_%s (station, valid)', y,
                to_char(m, 'fm00'), y, to_char(m, 'fm00'));
            execute format('create index raw%s_%s_station_idx on raw%s_%s (station)', y,
                to_char(m, 'fm00'), y, to_char(m, 'fm00'));
        end loop;
    end loop;
end $$;

\c coop
create extension postgis;
create table stations (:station_columns);
create unique index stations_idx on stations (id, network);
:f2c;
-- Growing degrees of a day between a base and a ceiling.
create function gddxx(real, real, real, real) returns numeric language sql immutable as
    'select case when $3 is null or $4 is null then null else
        greatest(0, (least($2, greatest($1, $3)) + least($2, greatest($1, $4))) / 2.0 - $1)::numeric
    end';
create table alldata (
    station char(6) not null, day date not null, high int, low int, precip real, snow real,
    sday char(4), year int, month smallint, snowd real, temp_estimated boolean,
    precip_estimated boolean, temp_hour smallint, precip_hour smallint, narr_srad real,
    merra_srad real, era5land_srad real, hrrr_srad real, era5land_soilt4_min real,
    era5land_soilt4_max real, era5land_soilm4_avg real, nldas_soilt4_avg real,
    nldas_soilt4_min real, nldas_soilt4_max real, nldas_soilm4_avg real,
    era5land_soilm1m_avg real, nldas_soilm1m_avg real, power_srad real
) partition by range (station);
do $$
declare
    state text;
begin
    foreach state in array string_to_array('AK AL AR AZ CA CO CT DC DE FL GA HI IA ID IL IN KS KY '
        'LA MA MD ME MI MN MO MS MT NC ND NE NH NJ NM NV NY OH OK OR PA PR RI SC SD TN TX UT VA '
        'VI VT WA WI WV WY XT', ' ') loop
        execute format('create table alldata_%s partition of alldata for values from (%L) to (%L)',
            lower(state), state || '0000', state || 'ZZZZ');
        execute format('create unique index alldata_%s_idx on alldata_%s (station, day)',
            lower(state), lower(state));
    end loop;
end $$;
create table ncei_climate91 (station varchar(11), :climate_columns);
create unique index ncei_climate91_idx on ncei_climate91 (station, valid);
create table climate51 (station varchar(6), :climate_columns);
create unique index climate51_idx on climate51 (station, valid);
create table alldata_cocorahs (
    iemid int, day date, obvalid timestamptz, updated timestamptz, precip real, snow real,
    snowd real, snow_swe real, snowd_swe real
) partition by range (day);
do $$
begin
    for y in 1998..2030 loop
        execute format('create table alldata_cocorahs_%s partition of alldata_cocorahs '
            'for values from (%L) to (%L)', y, format('%s-01-01', y), format('%s-01-01', y + 1));
    end loop;
end $$;

\c iem
create extension postgis;
create table stations (:station_columns);
create unique index stations_idx on stations (id, network);
:f2c;
create table current_shef (
    station varchar(10), valid timestamptz, physical_code char(2), duration char(1),
    source char(1), type char(1), extremum char(1), probability char(1), value real,
    depth smallint, dv_interval interval, qualifier char(1), unit_convention char(1),
    product_id varchar(35), comment text
);
create unique index current_shef_idx on current_shef (station, physical_code, duration, source,
    type, extremum, probability, depth, dv_interval, unit_convention, qualifier)
    nulls not distinct;
create table summary (
    iemid int references stations (iemid), max_tmpf real, min_tmpf real, day date, max_sknt real,
    max_gust real, max_sknt_ts timestamptz, max_gust_ts timestamptz, max_dwpf real,
    min_dwpf real, pday real, pmonth real, snow real, snowd real, snoww real, max_drct real,
    max_srad real, coop_tmpf real, coop_valid timestamptz, et_inch real, srad_mj real,
    avg_sknt real, vector_avg_drct real, avg_rh real, min_rh real, max_rh real,
    max_water_tmpf real, min_water_tmpf real, max_feel real, avg_feel real, min_feel real,
    min_rstage real, max_rstage real, report text
) partition by range (day);
do $$
begin
    for y in 1900..2030 loop
        execute format('create table summary_%s partition of summary for values from (%L) to (%L)',
            y, format('%s-01-01', y), format('%s-01-01', y + 1));
        execute format('create unique index summary_%s_iemid_day_idx on summary_%s (iemid, day)',
            y, y);
        execute format('create index summary_%s_day_idx on summary_%s (day)', y, y);
    end loop;
end $$;
create table current (
    iemid int unique references stations (iemid), tmpf real, dwpf real, drct real, sknt real,
    indoor_tmpf real, tsf0 real, tsf1 real, tsf2 real, tsf3 real, rwis_subf real,
    scond0 varchar, scond1 varchar, scond2 varchar, scond3 varchar, valid timestamptz, pday real,
    c1smv real, c2smv real, c3smv real, c4smv real, c5smv real, c1tmpf real, c2tmpf real,
    c3tmpf real, c4tmpf real, c5tmpf real, pres real, relh real, srad real, vsby real,
    phour real, gust real, raw varchar(256), alti real, mslp real, rstage real, pmonth real,
    skyc1 char(3), skyc2 char(3), skyc3 char(3), skyl1 int, skyl2 int, skyl3 int, skyc4 char(3),
    skyl4 int, pcounter real, discharge real, p03i real, p06i real, p24i real,
    max_tmpf_6hr real, min_tmpf_6hr real, max_tmpf_24hr real, min_tmpf_24hr real,
    wxcodes varchar(12)[], battery real, water_tmpf real, feel real, ice_accretion_1hr real,
    ice_accretion_3hr real, ice_accretion_6hr real, peak_wind_gust real, peak_wind_drct real,
    peak_wind_time timestamptz, updated timestamptz default now(), snowdepth real,
    srad_1h_j real, tsoil_4in_f real, tsoil_8in_f real, tsoil_16in_f real, tsoil_20in_f real,
    tsoil_32in_f real, tsoil_40in_f real, tsoil_64in_f real, tsoil_128in_f real
);
create table current_log (like current);
create index current_log_idx on current_log (iemid, valid);
