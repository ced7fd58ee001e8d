-- Breaking: processes of an older version fail on the renamed tables. Stop them before the upgrade.

-- The table that `sample_id` points at becomes `sample`; the table of uploaded files becomes `upload`. Only the
-- names change, no row is written.
alter table sample rename to upload;
alter table digest rename to sample;

-- The indexes of `upload` keep their names (`sample_blake3`, `sample_sha512`, `sample_md5`, `sample_sha1`): SQLite
-- cannot rename an index, and building them again takes time and space that grow with the uploads.
