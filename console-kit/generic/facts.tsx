import { t } from '../texts/t.ts';
import { shown } from '../components/shown.tsx';
import { apiOf, type FieldOption, type Resource, type Row } from '../resources/resource.ts';
import { Cell } from './cell.tsx';
import { labelOf } from './list-view.tsx';
import { useOptions } from './use-options.ts';

/** Told already by heading and address, or for machines. */
const never = new Set(['id', 'type', 'url', 'related', 'summary_fields', 'name', 'description', 'survey_spec']);

const empty = (value: unknown) =>
  value === null ||
  value === undefined ||
  value === '' ||
  value === false ||
  (typeof value === 'object' && Object.keys(value).length === 0);

/** What a record holds, as far as it holds something. */
export function Facts({ resource, row }: { resource: Resource; row: Row }) {
  const options = useOptions(apiOf(resource));
  return shown(
    options,
    { what: t`list of its fields`, loading: t`its fields` },
    ({ actions: { GET: fields = {} } }) => (
      <dl class="record">
        {namesOf(resource, row, fields).map((name) => (
          <div key={name}>
            <dt>{fields[name]?.label ?? labelOf(name)}</dt>
            <dd>
              <Cell row={row} field={name} option={fields[name]} exact />
            </dd>
          </div>
        ))}
      </dl>
    ),
  );
}

function namesOf(resource: Resource, row: Row, fields: Record<string, FieldOption>): string[] {
  const first = [...(resource.facts ?? []), ...(resource.fields ?? [])];
  const untold = new Set([...never, ...(resource.elsewhere ?? [])]);
  return [...new Set([...first, ...Object.keys(fields)])].filter(
    // some are told by name alone
    (name) =>
      !untold.has(name) &&
      (fields[name] || resource.facts?.includes(name)) &&
      !empty(row[name] ?? row.summary_fields?.[name]),
  );
}
