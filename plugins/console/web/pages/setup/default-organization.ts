import { get, type Page } from '@tapline/console-kit';

/** Where new things go: the first organization of those that the caller sees. */
export async function defaultOrganization(): Promise<number | undefined> {
  const { results } = await get<Page<{ id: number }>>('organizations/?order_by=id&page_size=1', { quiet: true });
  return results[0]?.id;
}
