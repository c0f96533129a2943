import './styles/tokens.css';
import './styles/base.css';
import './styles/shell.css';
import './styles/forms.css';
import './styles/table.css';
import './styles/output.css';
import './styles/cards.css';
import './styles/resources.css';
import './styles/editor.css';
import './theme/theme.ts';
import { render } from 'preact';
import './plugins/known-pages.ts';
import { App } from './app.tsx';

const root = document.getElementById('app');
if (root) render(<App />, root);
