export { SsoTabs } from './components/SsoFrame.tsx'
export { providersQuery } from './sso.queries.ts'
