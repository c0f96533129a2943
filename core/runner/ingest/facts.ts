import { createHash } from 'node:crypto';
import type { Knex } from 'knex';
import type { Executor, Handle } from '../executor.ts';
import type { FactsPair } from '../outcome.ts';
import { parseExactly } from './exact-json.ts';
import { canonicalJson } from './json-text.ts';
import { hostsOfRun } from './hosts.ts';
import type { Masker } from './mask.ts';

const batchSize = 100;
const batchBytes = 8 << 20;

interface Document {
  name: string;
  hash: string;
  text: string;
}

interface FactsContext {
  db: Knex;
  run: { id: number; inventory_id: number | null };
  masker: Masker;
  /** seconds after which stored facts are not handed to runs; 0 = never */
  maxAge: number;
}

/**
 * Stores what the run learnt about its hosts, a batch per transaction; resolves to the pairs of hashes that changed.
 * The old hash is kept beside the new one, so that whoever does this again after a restart reports the same pairs.
 */
export async function storeFacts(
  context: FactsContext,
  executor: Executor,
  handle: Handle,
  endedByItself: boolean,
): Promise<FactsPair[]> {
  const seen = new Set<string>();
  let batch: Document[] = [];
  let bytes = 0;
  const store = async () => {
    if (batch.length) await storeDocuments(context, batch);
    batch = [];
    bytes = 0;
  };
  // the folder is the playbook's: whatever else it wrote there is not even opened
  for await (const { name, content } of executor.readFolder(handle, 'fact_cache', await hostNames(context))) {
    seen.add(name);
    const document = factsDocument(name, content, context.masker);
    if (!document) continue;
    if (bytes + document.text.length > batchBytes) await store();
    batch.push(document);
    bytes += document.text.length;
    if (batch.length >= batchSize) await store();
  }
  await store();
  if (endedByItself) await clearFacts(context, seen);
  return context
    .db('host_facts')
    .where({ run_id: context.run.id })
    .orderBy('host_id')
    .select('host_id', 'previous_hash as old_hash', 'hash as new_hash');
}

async function hostNames({ db, run }: FactsContext): Promise<ReadonlySet<string>> {
  const { rows } = await db.raw(`select name from ${hostsOfRun(':run', ':inventory')} h`, {
    run: run.id,
    inventory: run.inventory_id,
  });
  return new Set(rows.map(({ name }: { name: string }) => name));
}

/** null when the file is no JSON object: a run that was killed leaves half of one. */
function factsDocument(name: string, content: string, masker: Masker): Document | null {
  try {
    const parsed = parseExactly(content);
    if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed)) return null;
    const text = canonicalJson(masker.inJson(content) ? masker.value(parsed) : parsed);
    return { name, text, hash: createHash('sha256').update(text).digest('hex') };
  } catch {
    return null;
  }
}

async function storeDocuments({ db, run }: FactsContext, batch: Document[]): Promise<void> {
  await db.transaction(async (trx) => {
    const connection = await trx.client.acquireConnection();
    const names = batch.map(({ name }) => name);
    const hashes = batch.map(({ hash }) => hash);
    await connection.query({
      text: `insert into facts (hash, document) select distinct on (hash) hash, document from unnest($1::text[], $2::jsonb[]) as d(hash, document)
             order by hash on conflict (hash) do update set created = now() where facts.created < now() - interval '1 day'`,
      values: [hashes, batch.map(({ text }) => text)],
    });
    await connection.query({
      text: `insert into host_facts (host_id, hash, run_id)
             select h.id, d.hash, $4 from unnest($2::text[], $3::text[]) as d(name, hash)
             join ${hostsOfRun('$4', '$1')} h on h.name = d.name order by h.id
             on conflict (host_id) do update set previous_hash = host_facts.hash, hash = excluded.hash, run_id = excluded.run_id, modified = now()
               where host_facts.hash <> excluded.hash`,
      values: [run.inventory_id, names, hashes, run.id],
    });
  });
}

/**
 * Facts of hosts whose file the run removed (`meta: clear_facts`). Only those it was given can be missed:
 * stored before it started, not too old then, of an enabled host whose name can be a file's.
 */
async function clearFacts({ db, run, maxAge }: FactsContext, seen: ReadonlySet<string>): Promise<void> {
  await db.raw(
    `delete from host_facts f using runs r, lateral ${hostsOfRun('r.id', 'r.inventory_id')} h
     where r.id = :run and f.host_id = h.id and f.modified <= r.started
       and (:maxAge = 0 or f.modified > r.started - make_interval(secs => :maxAge)) and not (h.name = any(:seen))
       and h.enabled and position('/' in h.name) = 0 and h.name not in ('.', '..')`,
    { run: run.id, maxAge, seen: [...seen] },
  );
}
