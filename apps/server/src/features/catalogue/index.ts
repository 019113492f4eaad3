export { catalogueHandlers } from './catalogue.routes.ts'
export { type Catalogue, type Choice, createCatalogue } from './catalogue.service.ts'
export type { StackRow, TemplateRow } from './catalogue.store.ts'
export { stackLinks, stackProperties, templateContents, templateLinks } from './catalogue.view.ts'
