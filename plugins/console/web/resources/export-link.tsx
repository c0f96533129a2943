import { listPath, place, readQuery, t } from '@tapline/console-kit';

/** The whole list as it is narrowed now, as a file. */
export const exportLink = (api: string, order: string) => () => {
  const asked = readQuery(place.value.query, order);
  const path = listPath(`${api}/?format=csv`, { ...asked, page: 1 }).replace(/&page=1&page_size=\d+/, '');
  return <a class="button" href={`/api/v2/${path}`} download>{t`Export as CSV`}</a>;
};
