export { TokenDialog } from './components/TokenDialog.tsx'
