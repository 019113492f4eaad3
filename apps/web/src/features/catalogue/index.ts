export { instanceTypesQuery, stacksQuery, templatesQuery } from './catalogue.queries.ts'
