import { t } from '../texts/t.ts';
import { toast } from './toasts.tsx';

interface Props {
  value: string;
  /** what it is, where several can be copied */
  what?: string;
}

/** Puts a text where it can be pasted from. Browsers let pages served over plain HTTP copy nothing: there it is selected by hand. */
export function CopyText({ value, what }: Props) {
  if (!navigator.clipboard) return null;
  const copy = () =>
    navigator.clipboard.writeText(value).then(
      () => toast(t`Copied.`, 'good'),
      () => undefined,
    );
  return (
    <button type="button" onClick={() => void copy()}>
      {t`Copy`}
      {what && <span class="visually-hidden"> {what}</span>}
    </button>
  );
}
