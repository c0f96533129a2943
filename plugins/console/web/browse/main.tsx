import '../styles/tokens.css';
import '../styles/base.css';
import '../styles/forms.css';
import '../styles/resources.css';
import './browse.css';
import { render } from 'preact';
import { BrowsePage } from './browse-page.tsx';

const root = document.getElementById('app');
if (root) render(<BrowsePage path={location.pathname} search={location.search} />, root);
