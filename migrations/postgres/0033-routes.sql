-- Networks are found by the bits of their prefix, so that one statement tries all lengths that occur.

-- How many patterns have a prefix of this length.
create table network_length (
  version bigint not null check (version in (4, 6)),
  length bigint not null,
  patterns bigint not null,
  primary key (version, length)
);

-- The patterns get other keys: 4/110010110000000001110001 for a network, and the same for an address.
delete from service_pattern;
insert into back_fill (name, position)
select 'service_pattern', 0 where exists (select 1 from service)
on conflict (name) do update set position = 0;
