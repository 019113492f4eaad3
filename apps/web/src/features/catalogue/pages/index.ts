// One download for the four: who opens one of them soon opens the next.
export { InstanceTypesPage } from './InstanceTypesPage.tsx'
export { StacksPage } from './StacksPage.tsx'
export { TemplatePage } from './TemplatePage.tsx'
export { TemplatesPage } from './TemplatesPage.tsx'
