-- Nothing: on PostgreSQL some references are left to `rapsheet doctor`; here they cost next to nothing and stay.
select 1;
