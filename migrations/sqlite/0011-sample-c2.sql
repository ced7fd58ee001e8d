-- Which files report to which addresses, as the settings in them say: search finds the files by these.

create table sample_c2 (
  -- The newest has the highest.
  number integer primary key,
  -- com.example.evil; addresses are as they are.
  reversed text not null,
  port integer not null,
  -- The row of the file's SHA-256 in digest.
  sample_id integer not null,
  -- 1 for the first port of that host in that file, so that many ports do not hide other files of the host.
  leads integer not null check (leads in (0, 1))
) strict;

create index sample_c2_port on sample_c2 (reversed, port, number);
create index sample_c2_host on sample_c2 (reversed, number) where leads = 1;
create index sample_c2_sample on sample_c2 (sample_id);
