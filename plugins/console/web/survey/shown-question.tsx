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
          {questionTypes.find(({ value }) => value === type)?.label ?? type} for <code>{variable}</code>
          {required ? ', required' : ''}
        </span>
      </div>
      {editable && (
        <div class="actions">
          {onUp && (
            <button type="button" aria-label={`Move ${name} up`} onClick={onUp}>
              ↑
            </button>
          )}
          <button type="button" aria-label={`Edit ${name}`} onClick={onEdit}>
            Edit
          </button>
          <button type="button" aria-label={`Remove ${name}`} onClick={onRemove}>
            Remove
          </button>
        </div>
      )}
    </div>
  );
}
