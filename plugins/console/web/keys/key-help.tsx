import { CheckField, Dialog, t } from '@tapline/console-kit';
import { keyList, otherKeys } from './key-list.ts';
import './keys.css';
import { setSingleKeys, singleKeys } from './single-keys.ts';

export const KeyHelp = ({ onClose }: { onClose: () => void }) => (
  <Dialog title={t`Keys`} onClose={onClose}>
    <dl class="key-list">
      {[...keyList, ...otherKeys].map(({ shown, does }) => (
        <div key={does}>
          <dt>
            <kbd>{shown}</kbd>
          </dt>
          <dd>{does}</dd>
        </div>
      ))}
    </dl>
    <p class="hint">{t`Tab and Enter reach and press everything; Escape closes what is open above a page.`}</p>
    <CheckField
      label={t`Use single keys`}
      name="single_keys"
      hint={t`Those without Ctrl or Cmd, wherever nothing is typed. Kept in this browser.`}
      checked={singleKeys.value}
      onValue={setSingleKeys}
    />
    <div class="form-actions">
      <button type="button" onClick={onClose}>{t`Close`}</button>
    </div>
  </Dialog>
);
