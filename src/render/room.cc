namespace flexor::render {}
