import { program, runPart } from './parts.ts';

await runPart({
  name: 'bench',
  usual: program(
    'bench/run.ts',
    'CPU time of requests under load [--quick] [--only lookups,pages] [--repeat 3] [--against commit]',
  ),
  parts: {
    analysis: program('bench/analysis/run.ts', 'the analysis of files [--quick] [--only parts]'),
    bulk: program('bench/bulk.ts', 'lines of imports and bulk creates [--quick] [--only parts]'),
    exports: program('bench/exports/run.ts', 'each export format [--quick] [--only formats]'),
    extractors: program('bench/analysis/extractors.ts', 'the extractors on files without settings'),
    feeds: program('bench/feeds.ts', 'pages and streams of a feed [--quick] [--only parts]'),
    flame: program('bench/flame.ts', 'flame graphs [create page …] [--count] [--seconds] [--out]'),
    flat: program('bench/flat/run.ts', 'each operation, by size [--quick] [--only …] [--write]'),
    moving: program('bench/moving.ts', 'SQLite to PostgreSQL and back, with kills [--count 1000]'),
    peers: program('bench/peers/run.ts', 'other services beside this one [--quick] [--only names]'),
    postgres: program(
      'bench/postgres/run.ts',
      'the service on PostgreSQL [--quick] [--only parts]',
    ),
    routes: program(
      'bench/routes/run.ts',
      'finding the service of an address [--quick] [--only …]',
    ),
    taxii: program('bench/taxii/run.ts', 'walks of a TAXII collection [--quick] [--reports 1000]'),
    turns: program(
      'bench/turns/run.ts',
      'the longest turns of the event loop [--count] [--only …]',
    ),
    web: program('bench/web/run.ts', 'the web application in a browser [--quick] [--only parts]'),
  },
});
