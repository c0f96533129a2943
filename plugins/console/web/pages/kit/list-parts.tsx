import { ListView, type Resource, useOptions, t } from '@tapline/console-kit';
import { Part } from './part.tsx';

/** What OPTIONS does not tell of a list. */
const organizations: Resource = {
  path: 'organizations',
  type: 'organization',
  one: t`organization`,
  many: t`organizations`,
  columns: ['name', 'created'],
  filters: ['name'],
};

/** Its search, filters, order and page are in the address of this page. */
export function ListParts() {
  const options = useOptions('organizations/');
  return (
    <Part name={t`List of a resource`}>
      <ListView resource={organizations} options={options} />
    </Part>
  );
}
