import { ListView, type Resource, useOptions } from '@tapline/console-kit';
import { Part } from './part.tsx';

/** What OPTIONS does not tell of a list. */
const organizations: Resource = {
  path: 'organizations',
  type: 'organization',
  one: 'organization',
  many: 'organizations',
  columns: ['name', 'created'],
  filters: ['name'],
};

/** Its search, filters, order and page are in the address of this page. */
export function ListParts() {
  const options = useOptions('organizations/');
  return (
    <Part name="List of a resource">
      <ListView resource={organizations} options={options} />
    </Part>
  );
}
