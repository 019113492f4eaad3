export { InstanceTypesPage } from './pages/InstanceTypesPage.tsx'
export { StacksPage } from './pages/StacksPage.tsx'
export { TemplatePage } from './pages/TemplatePage.tsx'
export { TemplatesPage } from './pages/TemplatesPage.tsx'
