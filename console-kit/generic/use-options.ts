import { type Query, useQuery } from '../api/query.ts';
import type { Options } from '../resources/resource.ts';

/** What may be done at a path, and with which fields: forms, filters and headings are made of it. */
export const useOptions = (path: string | null): Query<Options> => useQuery<Options>(path, 'OPTIONS');
