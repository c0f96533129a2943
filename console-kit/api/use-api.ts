import { type Query, useQuery } from './query.ts';

interface Answered {
  summary_fields?: { user_capabilities?: Record<string, boolean> };
}

export interface Api<T> extends Query<T> {
  /** what the API says that the caller may do to the record: `edit`, `delete`, `start`; false until it has answered */
  may: (capability: string) => boolean;
}

/** A record of the API with what the caller may do to it; null reads nothing. */
export function useApi<T extends Answered = any>(path: string | null): Api<T> {
  const query = useQuery<T>(path);
  const may = (capability: string) => query.data.value?.summary_fields?.user_capabilities?.[capability] === true;
  return { ...query, may };
}
