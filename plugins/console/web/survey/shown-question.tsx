import { t } from '@tapline/console-kit';
import { type Question, questionTypes } from './questions.ts';

interface Props {
  question: Question;
  editable: boolean;
  onUp?: (() => void) | undefined;
  onEdit: () => void;
  onRemove: () => void;
}

export function ShownQuestion({ question, editable, onUp, onEdit, onRemove }: Props) {
  const { question_name: name, type, variable, required } = question;
  return (
    <div class="question">
      <div>
        <strong>{name}</strong>
        <span class="muted sub">
          {t`${questionTypes.find(({ value }) => value === type)?.label ?? type} for`} <code>{variable}</code>
          {required ? t`, required` : ''}
        </span>
      </div>
      {editable && (
        <div class="actions">
          {onUp && (
            <button type="button" aria-label={t`Move ${name} up`} onClick={onUp}>
              ↑
            </button>
          )}
          <button type="button" aria-label={t`Edit ${name}`} onClick={onEdit}>{t`Edit`}</button>
          <button type="button" aria-label={t`Remove ${name}`} onClick={onRemove}>{t`Remove`}</button>
        </div>
      )}
    </div>
  );
}
