import type { Action, Reply, Rule } from '@tapline/plugin-sdk';
import { pageOf } from '../describe/json-schema.ts';
import { envelope, invalidPage, readPage } from './paginate.ts';

/** A page of a list that holds nothing. */
function emptyPage(path: string, query: URLSearchParams): Reply {
  const { size, number } = readPage(query);
  if (number !== 'last' && number > 1) throw invalidPage();
  return { status: 200, body: envelope(path, query, { size, number: 1 }, 0, []) };
}

const emptyPageSchema = pageOf({ not: {} });

/** Below a row, of what no resource brings as yet: whoever sees the row finds the list, and nothing in it. */
export const awaitedList = (see: Rule, what: string): Action => ({
  access: { GET: see },
  summary: `Its ${what}; there are none as yet`,
  answers: { GET: { schema: emptyPageSchema } },
  handler: async ({ query }) => emptyPage('', query),
});
