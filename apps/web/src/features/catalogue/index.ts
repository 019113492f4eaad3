export { allTypesQuery } from './catalogue.admin.queries.ts'
export { instanceTypesQuery, stacksQuery, templatesQuery } from './catalogue.queries.ts'
