import { t } from '../texts/t.ts';
import { Dialog } from '../components/dialog.tsx';
import { CopyText } from '../components/copy-text.tsx';

interface Props {
  label: string;
  value: string;
  onClose: () => void;
}

/** A secret that was made just now, for whoever made it. */
export function ShownOnce({ label, value, onClose }: Props) {
  return (
    <Dialog title={label} onClose={onClose}>
      <p>{t`It is shown this once. Keep it where nobody else reads it.`}</p>
      <pre class="value once" tabIndex={0} aria-label={label} role="region">
        {value}
      </pre>
      <div class="form-actions">
        <CopyText value={value} />
        <button type="button" class="primary" onClick={onClose}>{t`I have it`}</button>
      </div>
    </Dialog>
  );
}
