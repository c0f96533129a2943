import { bookResources, bookSql } from './books.ts';
import { openStage } from './stage.ts';

/** A process of its own with little memory, which writes 100,000 rows and tells how much that took. */
const rows = 100_000;
const stage = await openStage(bookResources, { sql: bookSql });
await stage.db.raw(
  `insert into books (name, tags) select 'row ' || n, jsonb_build_array(repeat('x', 1000)) from generate_series(1, ${rows}) n`,
);

async function write(query: string): Promise<{ bytes: number; peak: number }> {
  const seen = { bytes: 0, peak: 0 };
  const reply = await fetch(`${stage.url}/api/v2/books/?format=all&${query}`, { headers: { 'x-caller': 'admin' } });
  for await (const part of reply.body!) {
    seen.bytes += part.length;
    seen.peak = Math.max(seen.peak, process.memoryUsage.rss());
  }
  return seen;
}

const few = await write('id__lt=10000');
const many = await write('id__gt=10');
await stage.close();
console.log(JSON.stringify({ few, many }));
