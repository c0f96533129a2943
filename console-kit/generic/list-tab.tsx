import { t } from '../texts/t.ts';
import { resourceAt } from '../resources/links.ts';
import { apiOf, may, type Tab, type TabProps } from '../resources/resource.ts';
import { ListView, mayCreate } from './list-view.tsx';
import { useOptions } from './use-options.ts';

interface Listed {
  /** of the list below the record, and in the address */
  id: string;
  label: string;
  /** path of the resource that is listed */
  resource: string;
  /** field of the new record that names the one whose tab this is; without it none is made here */
  field?: string;
  /** of the record, for a new one; default `edit` */
  right?: string;
}

/** Records that belong to this one, with a button for a new one. */
export function listTab({ id, label, resource, field, right = 'edit' }: Listed): Tab {
  const content = ({ row, resource: of }: TabProps) => {
    const listed = resourceAt(resource);
    const options = useOptions(apiOf(listed));
    return (
      <>
        {field && mayCreate(options) && may(row, right) && (
          <p class="tab-actions">
            <a class="button" href={`/${listed.path}/new?${field}=${row.id}`}>{t`Add ${listed.one}`}</a>
          </p>
        )}
        <ListView resource={listed} options={options} api={`${apiOf(of)}${row.id}/${id}/`} />
      </>
    );
  };
  return { id, label, content };
}
