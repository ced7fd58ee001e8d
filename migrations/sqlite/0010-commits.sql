-- Nothing: a commit is answered by a call, and no answer is ever lost.
select 1;
