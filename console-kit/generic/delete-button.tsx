import { t } from '../texts/t.ts';
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { ApiFailure, get, request } from '../api/http.ts';
import type { Page } from '../api/types.ts';
import { Dialog } from '../components/dialog.tsx';
import { Loading } from '../components/page.tsx';
import { Notice } from '../components/notice.tsx';
import { toast } from '../components/toasts.tsx';
import { go } from '../router.ts';
import { searched } from '../resources/relations.ts';
import { takes } from '../resources/takes.ts';
import { apiOf, nameOf, type Resource, type Row } from '../resources/resource.ts';

/** Deletes after a question that names what goes with it. */
export function DeleteButton({ resource, row }: { resource: Resource; row: Row }) {
  const open = useSignal(false);
  return (
    <>
      <button type="button" class="danger" onClick={() => void (open.value = true)}>{t`Delete`}</button>
      {open.value && <DeleteDialog resource={resource} row={row} onClose={() => void (open.value = false)} />}
    </>
  );
}

function DeleteDialog({ resource, row, onClose }: { resource: Resource; row: Row; onClose: () => void }) {
  const problem = useSignal('');
  const sending = useSignal(false);
  const going = useSignal<string[] | undefined>(undefined);
  const name = nameOf(resource, row);
  const path = `${apiOf(resource)}${row.id}/`;
  useEffect(() => void countGoing(row).then((found) => void (going.value = found)), [path]);

  const remove = async () => {
    if (sending.value) return;
    sending.value = true;
    try {
      await request('DELETE', path);
      toast(t`${name} is deleted.`, 'good');
      go(resource.parent?.(row) ?? `/${resource.path}`);
    } catch (error) {
      if (!(error instanceof ApiFailure)) throw error;
      problem.value = error.message;
    } finally {
      sending.value = false;
    }
  };
  return (
    <Dialog title={t`Delete ${name}?`} onClose={onClose}>
      {problem.value && (
        <Notice tone="bad" alert>
          {problem.value}
        </Notice>
      )}
      {going.value ? <Going texts={going.value} /> : <Loading what={t`what goes with it`} />}
      <p>{t`This cannot be undone.`}</p>
      <div class="form-actions">
        <button type="button" onClick={onClose}>{t`Keep it`}</button>
        <button
          type="button"
          class="danger"
          aria-disabled={sending.value}
          onClick={() => void remove()}
        >{t`Delete ${resource.one}`}</button>
      </div>
    </Dialog>
  );
}

const Going = ({ texts }: { texts: string[] }) =>
  texts.length ? (
    <>
      <p>{t`With it go:`}</p>
      <ul>
        {texts.map((text) => (
          <li key={text}>{text}</li>
        ))}
      </ul>
    </>
  ) : null;

/** `3 hosts`, for each list of what goes that is not empty, or of which nobody could say. */
async function countGoing({ type, id }: Row): Promise<string[]> {
  const counts = await Promise.all(
    Object.entries(takes[type] ?? {}).map(async ([label, list]) => {
      try {
        const path = searched(list.replace('{id}', String(id)), { page_size: '1' });
        const { count } = await get<Page<Row>>(path, { quiet: true });
        return count ? `${count} ${label}` : '';
      } catch (error) {
        if (!(error instanceof ApiFailure)) throw error;
        return t`${label}: how many is not known (${error.message})`;
      }
    }),
  );
  return counts.filter(Boolean);
}
