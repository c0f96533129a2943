import { ChoicesField, t } from '@tapline/console-kit';
import { h } from 'preact';
import { categories, categoryLabel } from './words.js';

const choices = categories.map((value) => ({ value, label: categoryLabel(value) }));

/** Which drift a rule is about. */
export const CategoriesField = ({ value, onValue, errors }) =>
  h(ChoicesField, {
    label: t`Categories`,
    name: 'categories',
    hint: t`None of them means all.`,
    values: Array.isArray(value) ? value : [],
    onValues: onValue,
    choices,
    errors: errors['categories'],
  });
