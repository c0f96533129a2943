import type { Knex, PluginApi } from '@tapline/plugin-sdk';
import type { ReadFacts } from '../detect/detect.ts';
import { factTexts } from '../facts/canonical.ts';
import { membersOf } from '../facts/members.ts';
import { unpackedText } from '../facts/content.ts';
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
): Promise<Map<number, Buffer>> {
  const rows: { id: number; content: Buffer }[] = await db(table('snapshots'))
    .whereIn('id', snapshots)
    .select('id', 'content');
  return new Map(rows.map(({ id, content }) => [id, content]));
}

/** Of a snapshot, whose text is canonical already. */
export const factsOfContent = (content: Uint8Array): ReadFacts => ({ texts: membersOf(unpackedText(content)) });
