-- Breaking: nodes of an older version fail on the renamed tables. Stop them before the upgrade.

-- The table that `sample_id` points at becomes `sample`; the table of uploaded files becomes `upload`. Only the
-- names change, no row is written.
alter table sample rename to upload;
alter table upload rename constraint sample_state_check to upload_state_check;
alter table upload rename constraint sample_uploaded_by_fkey to upload_uploaded_by_fkey;
alter index sample_pkey rename to upload_pkey;
alter index sample_blake3 rename to upload_blake3;
alter index sample_sha512 rename to upload_sha512;
alter index sample_md5 rename to upload_md5;
alter index sample_sha1 rename to upload_sha1;

alter table digest rename to sample;
alter table sample rename constraint digest_kind_check to sample_kind_check;
-- The documentation describes how to partition this table, which may change the name of its primary key.
alter index if exists digest_pkey rename to sample_pkey;
