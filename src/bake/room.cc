namespace flexor::bake {}
