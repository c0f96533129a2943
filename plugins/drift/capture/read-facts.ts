import type { Knex, PluginApi } from '@tapline/plugin-sdk';
import type { ReadFacts } from '../detect/detect.ts';
import { factTexts } from '../facts/canonical.ts';
import { membersOf } from '../facts/members.ts';
import { type Packed, unpackedText } from '../facts/content.ts';
import { parseExactly } from '../facts/exact-json.ts';

/** Texts of facts that core has under these hashes; some may be gone. As text, since parsing would lose how floats are written. */
export async function readDocuments(trx: Knex, hashes: readonly string[]): Promise<Map<string, string>> {
  const { rows } = await trx.raw('select hash, document::text as document from core_facts where hash = any (?)', [
    [...hashes],
  ]);
  return new Map(rows.map(({ hash, document }: { hash: string; document: string }) => [hash, document]));
}

/** @throws TypeError for what is no object: core stores nothing else, but its rows can be written by others */
export function factsOfText(json: string): ReadFacts {
  const read = parseExactly(json);
  if (typeof read !== 'object' || read === null || Array.isArray(read)) throw new TypeError('facts are no object');
  const facts = read as Record<string, unknown>;
  return { texts: factTexts(facts, json) };
}

/** Facts of snapshots, packed, by their ids. */
export async function readContents(
  { table }: Pick<PluginApi, 'table'>,
  db: Knex,
  snapshots: readonly number[],
): Promise<Map<number, Packed>> {
  const rows: (Packed & { id: number })[] = await db(`${table('snapshots')} as s`)
    .leftJoin(`${table('bases')} as b`, 'b.id', 's.base_id')
    .whereIn('s.id', snapshots)
    .select('s.id', 's.content', 'b.content as base');
  return new Map(rows.map(({ id, ...packed }) => [id, packed]));
}

/** Of a snapshot, whose text is canonical already. */
export const factsOfContent = (packed: Packed): ReadFacts => ({ texts: membersOf(unpackedText(packed).text) });
