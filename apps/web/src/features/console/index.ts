export { PlatformLayout } from './components/PlatformLayout.tsx'
