-- Golden sets by category, such as "temporal" or "gotcha".
alter table judgements add column category text not null default '';
