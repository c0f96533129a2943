import { t } from '../texts/t.ts';
import { Dialog } from '../components/dialog.tsx';
import { toast } from '../components/toasts.tsx';

interface Props {
  label: string;
  value: string;
  onClose: () => void;
}

/** A secret that was made just now, for whoever made it. */
export function ShownOnce({ label, value, onClose }: Props) {
  // browsers let pages served over plain HTTP copy nothing: there it is selected by hand
  const copy = () =>
    navigator.clipboard?.writeText(value).then(
      () => toast(t`Copied.`, 'good'),
      () => undefined,
    );
  return (
    <Dialog title={label} onClose={onClose}>
      <p>{t`It is shown this once. Keep it where nobody else reads it.`}</p>
      <pre class="value once" tabIndex={0} aria-label={label} role="region">
        {value}
      </pre>
      <div class="form-actions">
        {navigator.clipboard && <button type="button" onClick={() => void copy()}>{t`Copy`}</button>}
        <button type="button" class="primary" onClick={onClose}>{t`I have it`}</button>
      </div>
    </Dialog>
  );
}
