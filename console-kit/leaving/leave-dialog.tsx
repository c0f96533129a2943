import { t } from '../texts/t.ts';
import { Dialog } from '../components/dialog.tsx';
import { askedToLeave, leaveAnyway } from './leaving.ts';

/** Asks before what was typed is lost. */
export function LeaveDialog() {
  const goOn = askedToLeave.value;
  if (!goOn) return null;
  const stay = () => void (askedToLeave.value = null);
  const leave = () => {
    stay();
    leaveAnyway(goOn);
  };
  return (
    <Dialog title={t`Leave without saving?`} onClose={stay}>
      <p>{t`What you typed here has not been sent. If you leave, it is lost.`}</p>
      <div class="form-actions">
        <button type="button" class="primary" onClick={stay}>{t`Stay here`}</button>
        <button type="button" class="danger" onClick={leave}>{t`Leave`}</button>
      </div>
    </Dialog>
  );
}
