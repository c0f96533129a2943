import { t } from '../texts/t.ts';
import { useSignal } from '@preact/signals';
import { useQuery } from '../api/query.ts';
import { Notice } from '../components/notice.tsx';
import { Failure, Loading, PageLayout } from '../components/page.tsx';
import { toast } from '../components/toasts.tsx';
import { go, place } from '../router.ts';
import { pageOf } from '../resources/links.ts';
import { apiOf, nameOf, type Resource, type Row } from '../resources/resource.ts';
import { ShownOnce } from './shown-once.tsx';
import { ResourceForm } from './resource-form.tsx';
import { useOptions } from './use-options.ts';

export function CreatePage({ resource }: { resource: Resource }) {
  const { data, error, reload } = useOptions(apiOf(resource));
  const fields = data.value?.actions.POST;
  const { query } = place.value;
  /** what has a secret that is shown now or never */
  const made = useSignal<{ row: Row; goOn: () => void } | null>(null);
  return (
    <PageLayout title={t`New ${resource.one}`}>
      {error.value && <Failure error={error.value} what={t`form`} again={reload} />}
      {!data.value && !error.value && <Loading what={t`the form`} />}
      {data.value && !fields && <Notice tone="info">{t`You may not create any ${resource.one}.`}</Notice>}
      {fields && (
        <ResourceForm
          resource={resource}
          fields={fields}
          row={null}
          suggested={query}
          onDone={(row) => {
            toast(t`${nameOf(resource, row)} is created.`, 'good');
            const goOn = () => go(pageOf(row.type, row.id) ?? `/${resource.path}`);
            if (resource.shownOnce && row[resource.shownOnce.field]) made.value = { row, goOn };
            else goOn();
          }}
          onCancel={() => history.back()}
        />
      )}
      {made.value && resource.shownOnce && (
        <ShownOnce
          label={resource.shownOnce.label}
          value={String(made.value.row[resource.shownOnce.field])}
          onClose={made.value.goOn}
        />
      )}
    </PageLayout>
  );
}

export function EditPage({ resource, id }: { resource: Resource; id: string }) {
  const path = `${apiOf(resource)}${id}/`;
  const options = useOptions(path);
  const { data, error, reload } = useQuery<Row>(path);
  // who may not see the record hears of that alone
  const formError = error.value ? null : options.error.value;
  const fields = options.data.value?.actions.PUT;
  const row = data.value;
  const back = `/${resource.path}/${id}`;
  return (
    <PageLayout title={row ? t`Edit ${nameOf(resource, row)}` : t`Edit ${resource.one}`}>
      {error.value && <Failure error={error.value} what={resource.one} again={reload} />}
      {formError && <Failure error={formError} what={t`form`} again={options.reload} />}
      {(!row || !options.data.value) && !error.value && !formError && <Loading what={t`the form`} />}
      {row && options.data.value && !fields && (
        <Notice tone="info">{t`You may not change this ${resource.one}.`}</Notice>
      )}
      {row && fields && (
        <ResourceForm
          resource={resource}
          fields={fields}
          row={row}
          onDone={(changed) => {
            toast(t`${nameOf(resource, changed)} is saved.`, 'good');
            go(back);
          }}
          onCancel={() => go(back)}
        />
      )}
    </PageLayout>
  );
}
